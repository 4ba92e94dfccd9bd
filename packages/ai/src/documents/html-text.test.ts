import { expect, test } from "vitest";
import { htmlToText } from "./html-text.ts";

test("a page is the text one reads", () => {
  const html = `<!doctype html><html><head><title>Tides &amp; times</title><style>p { color: red }</style></head>
    <body><script>alert("no")</script><h1>Bergen</h1><p>High   water at
    <b>10:42</b>, <i>low</i>.</p><ul><li>one</li><li><p>two</p></li></ul>
    <table><tr><th>Day</th><th>Time</th></tr><tr><td>Mon</td><td>10:42</td></tr></table>
    <pre>a
  b</pre>line<br>next</body></html>`;
  expect(htmlToText(html)).toBe(
    "Tides & times\n\nBergen\n\nHigh water at 10:42, low.\n\n- one\n\n- two\n\nDay\tTime\nMon\t10:42\n\na\n  b\n\nline\nnext",
  );
});

test("a page of a megabyte takes no more than its share of time", () => {
  const html = `<table>${"<tr><td>cell</td><td> and another </td></tr>".repeat(25_000)}</table>`;
  const begun = performance.now();
  expect(htmlToText(html).split("\n")).toHaveLength(25_000);
  expect(performance.now() - begun).toBeLessThan(5000);
});
