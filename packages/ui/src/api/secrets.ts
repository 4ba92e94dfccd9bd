import { useQuery } from "@tanstack/react-query";
import { type ApiRequest, get, path } from "./client.ts";

/** A secret without its value: that is never told. Without times it is one of the environment. */
export type SecretInfo = {
  readonly name: string;
  readonly created_at?: number;
  readonly updated_at?: number;
};

export const secretsKey = ["secrets"] as const;

export const useSecrets = () =>
  useQuery({
    queryKey: secretsKey,
    queryFn: ({ signal }) => get<readonly SecretInfo[]>("/secrets/v2", {}, signal),
  });

export const putSecret = (name: string, value: string): ApiRequest => ({
  method: "PUT",
  path: path`/secrets/${name}`,
  body: value,
});

export const deleteSecret = (name: string): ApiRequest => ({ method: "DELETE", path: path`/secrets/${name}` });
