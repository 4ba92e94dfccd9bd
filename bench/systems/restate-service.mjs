// The peer's side of the durable-steps scenario: a handler of three durable steps. Started by restate.mjs with the
// folder its packages are in and the port to listen on.
import { importFrom } from "./install.mjs";

const [, , home, port] = process.argv;
const { serve, service } = await importFrom(home, "@restatedev/restate-sdk");

const steps = service({
  name: "steps",
  handlers: {
    run: async (ctx, { i, pad }) => {
      let hops = 0;
      for (const name of ["s1", "s2", "s3"]) {
        const step = await ctx.run(name, async () => ({ i, hops: hops + 1, pad }));
        hops = step.hops;
      }
      return { i, hops };
    },
  },
});

await serve({ services: [steps], port: Number(port) });
