// Lists and calls every tool with the TypeScript client; the last line of output says what it saw.
//
// node agents_client.mjs stdio PROGRAM ARGUMENT ...
// node agents_client.mjs http URL TOKEN
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [way, place, ...rest] = process.argv.slice(2);
const transport =
  way === "stdio"
    ? new StdioClientTransport({ command: place, args: rest, env: process.env })
    : new StreamableHTTPClientTransport(new URL(place), {
        requestInit: { headers: { Authorization: `Bearer ${rest[0]}` } },
      });

const client = new Client({ name: "bench", version: "1" });
await client.connect(transport);
const tools = (await client.listTools()).tools.map((tool) => tool.name);
const task = "A test fails and the usual test runner is not installed";
const recalled = (await client.callTool({ name: "recall", arguments: { task } })).structuredContent;
const id = recalled.memories[0].id;
const lesson = {
  title: "Ask before changing files that are copied from elsewhere",
  description: "A helper is missing in a third-party file.",
  content: "A change to a vendored file was refused. Wrap the file instead.",
  kind: "anti-pattern avoidance",
  polarity: "avoid",
  cites: ["2"],
};
const calls = {
  show: { id },
  why: { id },
  report_outcome: { retrieval_id: recalled.retrieval_id, outcome: "success", used: [id] },
  record_lesson: { lessons: [lesson], trace: "no-such-session" },
  cypher: { statement: "MATCH (i:Insight) RETURN count(i) AS insights" },
};
const failed = [];
for (const [name, parameters] of Object.entries(calls)) {
  const result = await client.callTool({ name, arguments: parameters });
  if (result.isError) failed.push(name);
}
const resources = (await client.listResources()).resources.map((resource) => resource.uri);
const prompts = (await client.listPrompts()).prompts.map((prompt) => prompt.name);
await client.close();
console.log(JSON.stringify({ tools, failed, resources, prompts }));
