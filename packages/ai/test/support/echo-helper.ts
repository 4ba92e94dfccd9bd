import { answerQuestions } from "../../src/helpers/answer.ts";

export type Echo =
  | { readonly kind: "say"; readonly text: string }
  | { readonly kind: "pid" | "throw" | "exit" | "spin" | "fill" };

answerQuestions<Echo>((request) => {
  switch (request.kind) {
    case "say":
      return request.text;
    case "pid":
      return String(process.pid);
    case "throw":
      throw new Error("as told");
    case "exit":
      return process.exit(1);
    case "spin":
      for (;;);
    case "fill": {
      const kept: string[][] = [];
      for (;;) kept.push(Array.from({ length: 100_000 }, (_, at) => `${at} of ${kept.length}`));
    }
  }
});
