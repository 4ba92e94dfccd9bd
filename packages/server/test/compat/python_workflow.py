"""Checks of OrkesWorkflowClient."""

from conductor.client.http.models.correlation_ids_search_request import CorrelationIdsSearchRequest
from conductor.client.http.models.rerun_workflow_request import RerunWorkflowRequest
from conductor.client.http.models.skip_task_request import SkipTaskRequest
from conductor.client.http.models.start_workflow_request import StartWorkflowRequest
from conductor.client.http.models.task_result import TaskResult
from conductor.client.http.models.workflow_state_update import WorkflowStateUpdate
from conductor.client.http.models.workflow_test_request import WorkflowTestRequest
from python_checks import (
    a_task_type,
    check,
    clients,
    defined,
    ended,
    entry,
    equal,
    eventually,
    refs,
    refused,
    run_checks,
    simple,
    started,
    status_of,
    workflows,
)

tasks = clients.get_task_client()


@check("starts executions, by request and by name")
def starts():
    name = defined(entry("WAIT", "w"))
    id = workflows.start_workflow(StartWorkflowRequest(name=name, input={"k": 1}, correlation_id="c", priority=4))
    run = workflows.get_workflow(id, include_tasks=True)
    equal([run.workflow_name, run.input, run.correlation_id, run.priority], [name, {"k": 1}, "c", 4])
    equal([task.reference_task_name for task in run.tasks], ["w"])
    other = workflows.start_workflow_by_name(name, {"k": 2}, version=1, correlationId="d", priority=3)
    run = workflows.get_workflow(other, include_tasks=False)
    equal([run.input, run.correlation_id, run.priority], [{"k": 2}, "d", 3])


@check("executes and is given the result")
def executes():
    setting = entry("SET_VARIABLE", "set", {"x": "${workflow.input.x}"})
    name = defined(setting, output_parameters={"x": "${workflow.variables.x}"})
    request = StartWorkflowRequest(name=name, version=1, input={"x": 7})
    run = workflows.execute_workflow(request, request_id="r", wait_for_seconds=5)
    equal([run.status, run.output, run.request_id], ["COMPLETED", {"x": 7}, "r"])
    waiting = defined(entry("SET_VARIABLE", "set", {"x": 1}), simple("py_nobody_polls", "t"))
    request = StartWorkflowRequest(name=waiting, version=1, input={})
    run = workflows.execute_workflow(request, request_id="r", wait_until_task_ref="set", wait_for_seconds=5)
    equal([run.status, run.variables], ["RUNNING", {"x": 1}])


@check("executes with every return strategy")
def return_strategies():
    child = defined(entry("WAIT", "inner"))
    name = defined(entry("SUB_WORKFLOW", "sub", sub_workflow_param={"name": child, "version": 1}))

    def run(strategy):
        return workflows.execute_workflow_with_return_strategy(
            StartWorkflowRequest(name=name, version=1, input={}),
            request_id="r",
            wait_for_seconds=5,
            return_strategy=strategy,
        )

    target = run("TARGET_WORKFLOW")
    equal([target.response_type, target.workflow_id], ["TARGET_WORKFLOW", target.target_workflow_id])
    blocking = run("BLOCKING_WORKFLOW")
    equal([blocking.is_blocking_workflow(), blocking.workflow_id != blocking.target_workflow_id], [True, True])
    task = run("BLOCKING_TASK")
    equal([task.is_blocking_task(), task.reference_task_name, task.task_type], [True, "inner", "WAIT"])
    equal(run("BLOCKING_TASK_INPUT").is_blocking_task_input(), True)


@check("reads the status of an execution")
def status():
    id = started(entry("SET_VARIABLE", "set", {"x": 1}), entry("WAIT", "w"))
    found = workflows.get_workflow_status(id, include_output=True, include_variables=True)
    equal([found.workflow_id, found.status, found.variables], [id, "RUNNING", {"x": 1}])


@check("pauses and resumes")
def pauses():
    id = started(entry("WAIT", "w"))
    workflows.pause_workflow(id)
    equal(status_of(id), "PAUSED")
    workflows.resume_workflow(id)
    equal(status_of(id), "RUNNING")


@check("retries, restarts, terminates and reruns")
def again():
    id = started(simple(a_task_type(), "a"))
    tasks.update_task_by_ref_name(id, "a", "FAILED", {"why": "test"})
    equal(ended(id).status, "FAILED")
    workflows.retry_workflow(id)
    equal([status_of(id), workflows.get_workflow(id).tasks[-1].retry_count], ["RUNNING", 1])
    tasks.update_task_by_ref_name(id, "a", "COMPLETED", {})
    equal(ended(id).status, "COMPLETED")
    workflows.restart_workflow(id, use_latest_def=True)
    equal(refs(workflows.get_workflow(id)), [["a", "SCHEDULED"]])
    workflows.terminate_workflow(id, "enough")
    run = workflows.get_workflow(id, include_tasks=False)
    equal([run.status, run.reason_for_incompletion], ["TERMINATED", "enough"])
    equal(workflows.rerun_workflow(id, RerunWorkflowRequest(workflow_input={"k": 2})), id)
    run = workflows.get_workflow(id)
    equal([run.status, run.input], ["RUNNING", {"k": 2}])


@check("starts the failure workflow of a terminated execution when asked")
def failure_workflow():
    name = defined(entry("SET_VARIABLE", "set", {"x": 1}))
    id = started(entry("WAIT", "w"), failure_workflow=name)
    workflows.terminate_workflow(id, "enough", trigger_failure_workflow=True)
    started_by_it = eventually(lambda: workflows.search(query=f"workflowType='{name}'").results)
    equal(len(started_by_it), 1)


@check("skips a task")
def skips():
    id = started(entry("WAIT", "w"), simple("py_skipped", "b"))
    workflows.skip_task_from_workflow(id, "b", SkipTaskRequest(task_output={"skipped": True}))
    tasks.update_task_by_ref_name(id, "w", "COMPLETED", {})
    run = ended(id)
    # The client puts the request into the query in a form no server reads: the output stays empty.
    equal([run.status, sorted(refs(run))], ["COMPLETED", [["b", "SKIPPED"], ["w", "COMPLETED"]]])


@check("removes executions")
def removes():
    for remove in (lambda id: workflows.delete_workflow(id, archive_workflow=False), workflows.remove_workflow):
        id = started(entry("SET_VARIABLE", "set", {"x": 1}))
        remove(id)
        equal(refused(lambda: workflows.get_workflow(id)), [404, f"No such workflow found by id: {id}"])


@check("searches")
def searches():
    name = defined(entry("WAIT", "w"))
    ids = {workflows.start_workflow_by_name(name, {}) for _ in range(2)}
    page = workflows.search(start=0, size=10, query=f"workflowType='{name}' AND status='RUNNING'")
    equal({found.workflow_id for found in page.results}, ids)
    equal(len(workflows.search(size=1, free_text="*", query=f"workflowType='{name}'").results), 1)


@check("finds executions by correlation ids")
def correlation_ids():
    name = defined(entry("WAIT", "w"))
    a, b = f"{name}_a", f"{name}_b"
    open = workflows.start_workflow_by_name(name, {}, correlationId=a)
    closed = workflows.start_workflow_by_name(name, {}, correlationId=b)
    workflows.terminate_workflow(closed)
    found = workflows.get_by_correlation_ids(name, [a, b])
    equal([[run.workflow_id for run in found[id]] for id in (a, b)], [[open], []])
    found = workflows.get_by_correlation_ids(name, [a, b], include_completed=True, include_tasks=True)
    equal([run.workflow_id for run in found[b]], [closed])
    request = CorrelationIdsSearchRequest(correlation_ids=[a, b], workflow_names=[name])
    found = workflows.get_by_correlation_ids_in_batch(request, include_completed=True)
    equal([[run.workflow_id for run in found[id]] for id in (a, b)], [[open], [closed]])


@check("tries a definition out with made-up task results")
def tries():
    name = defined(simple("py_mocked", "t"), output_parameters={"y": "${t.output.y}"})
    mocks = {"t": [{"status": "COMPLETED", "output": {"y": 2}}]}
    run = workflows.test_workflow(WorkflowTestRequest(name=name, version=1, task_ref_to_mock_output=mocks))
    equal([run.status, run.output], ["COMPLETED", {"y": 2}])


@check("pushes a message into a running execution")
def message():
    id = started(entry("PULL_WORKFLOW_MESSAGES", "p"))
    sent = workflows.send_message(id, {"n": 1})
    taken = ended(id).output["messages"][0]
    equal([taken["id"], taken["payload"]], [sent, {"n": 1}])
    reason = f"Workflow {id} is not in RUNNING state (current: COMPLETED)"
    equal(refused(lambda: workflows.send_message(id, {})), [409, reason])


@check("sets variables, and ends a task in the same call")
def state():
    id = started(entry("SET_VARIABLE", "set", {"x": 1}), entry("WAIT", "w"), simple("py_nobody_polls", "next"))
    workflows.update_variables(id, {"y": 2})
    equal(workflows.get_workflow(id).variables, {"x": 1, "y": 2})
    result = TaskResult(workflow_instance_id=id, task_id="", status="COMPLETED", output_data={"a": 1})
    update = WorkflowStateUpdate(task_reference_name="w", task_result=result, variables={"z": 3})
    run = workflows.update_state(id, update, wait_until_task_ref_names=["w"], wait_for_seconds=5)
    equal([run.workflow_id, run.status, run.variables], [id, "RUNNING", {"x": 1, "y": 2, "z": 3}])
    equal(refs(workflows.get_workflow(id))[1:], [["w", "COMPLETED"], ["next", "SCHEDULED"]])


run_checks()
