import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { PageHeader } from "../../components/page-header.tsx";
import { Skeleton } from "../../components/skeleton.tsx";

const EditTab = lazy(async () => ({ default: (await import("../definition/edit-tab.tsx")).EditTab }));

const template = {
  name: "my_workflow",
  version: 1,
  description: "What it is for",
  ownerEmail: "you@example.com",
  inputParameters: ["name"],
  tasks: [
    {
      name: "greet",
      taskReferenceName: "greet",
      type: "INLINE",
      inputParameters: { evaluatorType: "graaljs", expression: "'Hello ' + $.name", name: "${workflow.input.name}" },
    },
  ],
  outputParameters: { greeting: "${greet.output.result}" },
};

/** A definition that is not there yet. */
export function NewDefinitionPage() {
  const navigate = useNavigate();
  return (
    <>
      <PageHeader title="New definition" note="Completion with Ctrl Space; click a task to see its form" />
      <div className="flex min-h-0 flex-1 flex-col bg-surface">
        <Suspense fallback={<Skeleton rows={10} />}>
          <EditTab
            draftKey="new-definition"
            saved={JSON.stringify(template, null, 2)}
            isNew
            onSaved={(name) => void navigate({ to: "/definitions/$name", params: { name }, search: {} })}
          />
        </Suspense>
      </div>
    </>
  );
}
