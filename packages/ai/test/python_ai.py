"""Prompts, and the tasks of models, documents, vectors and tools, with the Python client.

Run as: python_ai.py <base URL ending in /api> <URL of a document> <URL of an MCP server>
"""

import sys

from conductor.client.http.api.prompt_resource_api import PromptResourceApi
from conductor.client.http.api_client import ApiClient
from conductor.client.http.models.prompt_test_request import PromptTemplateTestRequest
from conductor.client.orkes.models.metadata_tag import MetadataTag
from conductor.client.workflow.conductor_workflow import ConductorWorkflow
from conductor.client.workflow.task.get_document import GetDocument
from conductor.client.workflow.task.llm_tasks import (
    CallMcpTool,
    ChatMessage,
    GenerateAudio,
    GenerateImage,
    ListMcpTools,
    LlmChatComplete,
    LlmGenerateEmbeddings,
    LlmIndexDocument,
    LlmIndexText,
    LlmQueryEmbeddings,
    LlmSearchEmbeddings,
    LlmSearchIndex,
    LlmStoreEmbeddings,
    LlmTextComplete,
)
from conductor.client.workflow.task.llm_tasks.utils.embedding_model import EmbeddingModel
from python_checks import a_name, check, clients, configuration, ended, equal, run_checks

_, _, DOCUMENT, MCP = sys.argv
prompts = clients.get_prompt_client()
prompt_api = PromptResourceApi(ApiClient(configuration))
words = EmbeddingModel("openai", "words")


def outputs(*tasks) -> dict:
    """Runs a workflow of these tasks to its end; gives what each put out."""
    workflow = ConductorWorkflow(executor=clients.get_workflow_executor(), name=a_name("ai"), version=1)
    for task in tasks:
        workflow >> task
    workflow.register(overwrite=True)
    run = ended(workflow.start_workflow_with_input({}))
    equal([run.status, run.reason_for_incompletion], ["COMPLETED", None])
    return {task.reference_task_name: task.output_data for task in run.tasks}


@check("prompts: saved in versions, tried, tagged and removed")
def _():
    prompts.save_prompt("py_greet", "Says hello", "Hello ${name}", models=["openai:gpt-4o-mini"])
    found = prompts.get_prompt("py_greet")
    equal([found.template, found.variables, found.integrations], ["Hello ${name}", ["name"], ["openai:gpt-4o-mini"]])
    equal([prompt.name for prompt in prompts.get_prompts()], ["py_greet"])
    prompts.save_prompt("py_greet", "Says hello", "Good day, ${name}", auto_increment=True)
    equal(prompts.get_prompt("py_greet").template, "Good day, ${name}")
    equal("Hello Ada" in prompts.test_prompt("Hello ${name}", {"name": "Ada"}, "openai", "gpt-4o-mini"), True)
    tag = MetadataTag("team", "a")
    prompts.update_tag_for_prompt_template("py_greet", [tag])
    equal([[tag.key, tag.value] for tag in prompts.get_tags_for_prompt_template("py_greet")], [["team", "a"]])
    prompts.delete_tag_for_prompt_template("py_greet", [tag])
    equal(prompts.get_tags_for_prompt_template("py_greet"), [])
    prompts.delete_prompt("py_greet")
    equal(prompts.get_prompt("py_greet"), None)


@check("prompts: the same by the class below the client")
def _():
    prompt_api.save_message_template("Hello ${name}", "Says hello", "py_other")
    equal(prompt_api.get_message_template("py_other").template, "Hello ${name}")
    equal([prompt.name for prompt in prompt_api.get_message_templates()], ["py_other"])
    request = PromptTemplateTestRequest()
    request.llm_provider, request.model, request.prompt = "openai", "gpt-4o-mini", "Hello you"
    equal("Hello you" in prompt_api.test_message_template(request), True)
    prompt_api.put_tag_for_prompt_template([MetadataTag("team", "a")], "py_other")
    equal(len(prompt_api.get_tags_for_prompt_template("py_other")), 1)
    prompt_api.delete_tag_for_prompt_template([MetadataTag("team", "a")], "py_other")
    prompt_api.delete_message_template("py_other")


@check("models: chat, text by a saved prompt, embeddings, an image and speech")
def _():
    prompts.save_prompt("py_persona", "d", "You are ${who}")
    chat = LlmChatComplete("chat", "openai", "gpt-4o-mini", messages=[ChatMessage("user", "Hello")], max_tokens=10)
    completed = LlmTextComplete("text", "openai", "gpt-4o-mini", "py_persona")
    completed.prompt_variable("who", "Ada")
    done = outputs(
        chat,
        completed,
        LlmGenerateEmbeddings("vector", "openai", "words", "tide tables", dimensions=16),
        GenerateImage("image", "openai", "gpt-image-1", "A tide"),
        GenerateAudio("audio", "openai", "tts-1", text="Hello", voice="nova"),
    )
    equal("Hello" in str(done["chat"]["result"]), True)
    equal("You are Ada" in str(done["text"]["result"]), True)
    equal(len(done["vector"]["result"]), 16)
    equal([len(done[ref]["media"]) for ref in ("image", "audio")], [1, 1])


@check("vectors: texts, documents and vectors are stored and found")
def _():
    place = {"vector_db": "default", "namespace": "team", "index": "docs"}
    done = outputs(
        LlmIndexText("one", embedding_model=words, text="The tide tables of Bergen", doc_id="tides", **place),
        LlmIndexDocument("two", embedding_model=words, url=DOCUMENT, media_type="text/plain", doc_id="bread", **place),
        LlmSearchIndex(
            "found",
            embedding_model_provider="openai",
            embedding_model="words",
            query="how to bake bread",
            **place,
        ),
        LlmStoreEmbeddings("three", "default", "raw", [1, 0], namespace="team", id="east"),
        LlmSearchEmbeddings("near", "default", "raw", [0.9, 0.1], namespace="team"),
        LlmQueryEmbeddings("also", "default", "raw", [0.9, 0.1], namespace="team"),
    )
    equal([match["parentDocId"] for match in done["found"]["result"]], ["bread"])
    equal([match["docId"] for match in done["near"]["result"]], ["east"])
    equal([match["docId"] for match in done["also"]["result"]], ["east"])


@check("documents and tools: a document is read, an MCP server's tools are listed and called")
def _():
    done = outputs(
        GetDocument("get_document", "document", DOCUMENT, "text/plain"),
        ListMcpTools("tools", MCP),
        CallMcpTool("called", MCP, "get_weather", arguments={"location": "Bergen"}),
    )
    equal(done["document"]["result"], "How to bake bread")
    equal([tool["name"] for tool in done["tools"]["tools"]], ["get_weather", "say", "break"])
    equal(done["called"]["structuredContent"], {"degrees": 21})


run_checks()
