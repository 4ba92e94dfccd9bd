import { readFileSync } from "node:fs";

const read = (name: string): string => readFileSync(new URL(`./viewer/${name}`, import.meta.url), "utf8");

/** The page for people that shows the OpenAPI document: files of ours, nothing from elsewhere. */
export const viewerFiles = {
  page: () => read("index.html"),
  script: () => read("viewer.js"),
  style: () => read("viewer.css"),
};
