import { lazy } from "./lazy.ts";
import type { ProviderKind, ProviderSettings } from "./provider.ts";

/** Amazon Bedrock: many makers' models over the Converse API, signed with a key pair or a bearer token. */
export const bedrock: ProviderKind = {
  id: "bedrock",
  aliases: ["aws_bedrock"],
  block: "bedrock",
  statusName: "aws_bedrock",
  isConfigured: ({ apiKey, more }) => apiKey !== "" || (more["accessKey"] !== "" && more["secretKey"] !== ""),
  open(settings, fetch) {
    const library = lazy(async () => {
      const { createAmazonBedrock } = await import("@ai-sdk/amazon-bedrock");
      const { baseUrl, more } = settings;
      return createAmazonBedrock({
        region: more["region"] ?? "us-east-1",
        fetch,
        ...credentialsOf(settings),
        ...(baseUrl === "" ? {} : { baseURL: baseUrl.replace(/\/+$/, "") }),
      });
    });
    return {
      chat: {
        model: async (id) => (await library()).languageModel(id),
        failure: { call: "Bedrock Converse API call failed", api: "Bedrock Converse API failed with status" },
        hasOneSystemText: true,
      },
      embeddings: {
        async model(id) {
          if (!/(cohere|titan|nova).*embed|embed.*(cohere|titan|nova)/i.test(id))
            throw new Error(`Unsupported model ${id}`);
          return (await library()).embeddingModel(id);
        },
        failure: { call: "Bedrock InvokeModel API call failed", api: "Bedrock InvokeModel API failed with status" },
        providerOptions: () => ({ amazonBedrock: { inputType: "search_document" } }),
      },
    };
  },
};

/** Absent ones are given as empty, or the library would take them from the environment, whoever they belong to. */
function credentialsOf({ apiKey, more }: ProviderSettings) {
  if (apiKey !== "") return { apiKey };
  return {
    apiKey: "",
    accessKeyId: more["accessKey"] ?? "",
    secretAccessKey: more["secretKey"] ?? "",
    sessionToken: more["sessionToken"] ?? "",
  };
}
