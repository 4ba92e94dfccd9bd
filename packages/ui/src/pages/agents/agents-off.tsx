import { SwitchedOff } from "../../components/switched-off.tsx";

/** What stands where agents would. */
export const AgentsOff = () => (
  <SwitchedOff what="Agents are" setting="service.integrations.ai.enabled">
    <p>An agent is a model with instructions and tools, run as a workflow.</p>
  </SwitchedOff>
);
