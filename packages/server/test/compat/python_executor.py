"""Checks of WorkflowExecutor."""

from conductor.client.http.models.rerun_workflow_request import RerunWorkflowRequest
from conductor.client.http.models.skip_task_request import SkipTaskRequest
from conductor.client.http.models.start_workflow_request import StartWorkflowRequest
from conductor.client.http.models.workflow_def import WorkflowDef
from python_checks import (
    a_name,
    a_task_type,
    check,
    clients,
    defined,
    ended,
    entry,
    equal,
    metadata,
    refs,
    refused,
    run_checks,
    simple,
    started,
    status_of,
    workflows,
)

executor = clients.get_workflow_executor()


@check("registers a definition and starts executions of it")
def starts():
    name = a_name("registered")
    executor.register_workflow(WorkflowDef(name=name, version=1, tasks=[entry("WAIT", "w")]), overwrite=True)
    equal(metadata.get_workflow_def(name).version, 1)
    id = executor.start_workflow(StartWorkflowRequest(name=name, input={"k": 1}))
    equal(executor.get_workflow(id, include_tasks=True).input, {"k": 1})
    ids = executor.start_workflows(*[StartWorkflowRequest(name=name, input={"n": n}) for n in range(2)])
    equal([executor.get_workflow(id).input for id in ids], [{"n": 0}, {"n": 1}])


@check("executes and is given the result")
def executes():
    setting = entry("SET_VARIABLE", "set", {"x": "${workflow.input.x}"})
    name = defined(setting, output_parameters={"x": "${workflow.variables.x}"})
    run = executor.execute(name, version=1, workflow_input={"x": 1}, wait_for_seconds=5)
    equal([run.status, run.output], ["COMPLETED", {"x": 1}])
    request = StartWorkflowRequest(name=name, version=1, input={"x": 2})
    equal(executor.execute_workflow(request, wait_for_seconds=5).output, {"x": 2})
    strategy = "TARGET_WORKFLOW"
    answer = executor.execute_workflow_with_return_strategy(request, wait_for_seconds=5, return_strategy=strategy)
    equal([answer.response_type, answer.output], ["TARGET_WORKFLOW", {"x": 2}])


@check("looks at executions")
def looks():
    name = defined(entry("SET_VARIABLE", "set", {"x": 1}), entry("WAIT", "w"))
    id = workflows.start_workflow_by_name(name, {}, correlationId=name)
    found = executor.get_workflow_status(id, include_output=True, include_variables=True)
    equal([found.status, found.variables], ["RUNNING", {"x": 1}])
    task = executor.get_workflow(id, include_tasks=True).tasks[1]
    equal(executor.get_task(task.task_id).reference_task_name, "w")
    page = executor.search(start=0, size=10, free_text="*", query=f"workflowType='{name}'")
    equal([run.workflow_id for run in page.results], [id])
    equal([run.workflow_id for run in executor.get_by_correlation_ids(name, [name], True, True)[name]], [id])


@check("operates on executions")
def operates():
    id = started(simple(a_task_type(), "a"))
    executor.pause(id)
    equal(status_of(id), "PAUSED")
    executor.resume(id)
    equal(status_of(id), "RUNNING")
    executor.update_task_by_ref_name({"why": "test"}, id, "a", "FAILED")
    equal(ended(id).status, "FAILED")
    executor.retry(id)
    task = executor.get_workflow(id, include_tasks=True).tasks[-1]
    equal(executor.update_task(task.task_id, id, {"r": 1}, "COMPLETED"), task.task_id)
    equal(ended(id).output, {"r": 1})
    executor.restart(id)
    equal(refs(executor.get_workflow(id, include_tasks=True)), [["a", "SCHEDULED"]])
    executor.terminate(id, "enough")
    equal(ended(id).reason_for_incompletion, "enough")
    equal(executor.rerun(RerunWorkflowRequest(workflow_input={"k": 2}), id), id)
    equal(executor.get_workflow(id).input, {"k": 2})
    executor.terminate(id)
    executor.remove_workflow(id, archive_workflow=False)
    equal(refused(lambda: executor.get_workflow(id))[0], 404)


@check("skips a task")
def skips():
    id = started(entry("WAIT", "w"), simple("py_skipped", "b"))
    executor.skip_task_from_workflow(id, "b", SkipTaskRequest())
    run = executor.update_task_by_ref_name_sync({"a": 1}, id, "w", "COMPLETED")
    equal([run.status, sorted(refs(run))], ["COMPLETED", [["b", "SKIPPED"], ["w", "COMPLETED"]]])


@check("pushes a message")
def message():
    id = started(entry("PULL_WORKFLOW_MESSAGES", "p"))
    sent = executor.send_message(id, {"n": 1})
    equal(ended(id).output["messages"][0]["id"], sent)


@check("signals the task an execution waits at")
def signals():
    id = started(entry("WAIT", "first"), entry("WAIT", "second"), entry("WAIT", "third"))
    answer = executor.signal(id, "COMPLETED", {"a": 1}, return_strategy="BLOCKING_TASK")
    equal([answer.is_blocking_task(), answer.reference_task_name], [True, "second"])
    executor.signal_async(id, "COMPLETED", {"a": 2})
    last = executor.signal(id, "COMPLETED", {"a": 3}, return_strategy="TARGET_WORKFLOW")
    equal([last.response_type, last.target_workflow_status], ["TARGET_WORKFLOW", "COMPLETED"])
    equal([task.output_data for task in ended(id).tasks], [{"a": 1}, {"a": 2}, {"a": 3}])


run_checks()
