// A library that comes without types of its own: what is used of it.

declare module "linebreak" {
  /** Where lines may end, by the Unicode line breaking algorithm. */
  // biome-ignore lint/style/noDefaultExport: it is the library's.
  export default class LineBreaker {
    constructor(text: string);
    nextBreak(): { readonly position: number; readonly required: boolean } | null;
  }
}
