import com.netflix.conductor.client.http.ConductorClient;
import com.netflix.conductor.client.http.TaskClient;
import com.netflix.conductor.client.http.WorkflowClient;
import com.netflix.conductor.common.metadata.tasks.Task;
import com.netflix.conductor.common.metadata.tasks.TaskResult;
import com.netflix.conductor.common.metadata.workflow.StartWorkflowRequest;
import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import org.conductoross.conductor.client.FileClient;
import org.conductoross.conductor.client.FileClientProperties;
import org.conductoross.conductor.client.model.file.FileMetadata;
import org.conductoross.conductor.sdk.file.FileUploadOptions;

/** A worker that uploads a file and hands its handle on, and one in a sub-workflow that downloads it. */
public class JavaFiles {
  static TaskClient tasks;

  public static void main(String[] args) throws Exception {
    ConductorClient client = new ConductorClient(args[0]);
    Path folder = Path.of(args[1]);
    int size = Integer.parseInt(args[2]);
    FileClientProperties properties = new FileClientProperties();
    properties.setMultipartThreshold(Long.parseLong(args[3]));
    properties.setMultipartPartSize(5L * 1024 * 1024);
    FileClient files = new FileClient(client, properties);
    tasks = new TaskClient(client);
    StartWorkflowRequest request = new StartWorkflowRequest();
    request.setName("java_files");
    String workflowId = new WorkflowClient(client).startWorkflow(request);

    byte[] bytes = new byte[size];
    new Random(1).nextBytes(bytes);
    Path source = Files.write(folder.resolve("source.bin"), bytes);
    Task produce = take("java_produce");
    FileUploadOptions options = new FileUploadOptions().setTaskId(produce.getTaskId()).setContentType("image/png");
    String handle = files.upload(workflowId, source, options);
    String stream = files.upload(workflowId, new ByteArrayInputStream("from a stream".getBytes()), new FileUploadOptions().setFileName("s.txt"));
    complete(produce, Map.of("file", handle, "stream", stream));

    Task consume = take("java_consume");
    String given = (String) consume.getInputData().get("file");
    String caller = consume.getWorkflowInstanceId();
    Path copy = files.download(caller, given, folder.resolve("copy.bin"));
    FileMetadata metadata = files.getMetadata(caller, given);
    Path text = files.download(caller, (String) consume.getInputData().get("stream"), folder.resolve("s.txt"));
    complete(consume, Map.of());
    System.out.println(hash(bytes).equals(hash(Files.readAllBytes(copy))) + " " + metadata.getFileSize() + " " + metadata.getUploadStatus()
        + " " + metadata.getContentType() + " " + !caller.equals(workflowId) + " " + Files.readString(text));
    client.shutdown();
    System.exit(0);
  }

  static Task take(String type) throws Exception {
    for (int i = 0; i < 200; i++) {
      Task task = tasks.pollTask(type, "java", null);
      if (task != null && task.getTaskId() != null) return task;
      Thread.sleep(20);
    }
    throw new IllegalStateException("Expected a task of " + type);
  }

  static void complete(Task task, Map<String, Object> output) {
    TaskResult result = new TaskResult(task);
    result.setStatus(TaskResult.Status.COMPLETED);
    result.setOutputData(new java.util.HashMap<>(output));
    tasks.updateTask(result);
  }

  static String hash(byte[] bytes) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }
}
