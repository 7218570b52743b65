/** The mock model server behind the real-client tests: the real CLIs are its proof, these are its fixed points. */
import { afterEach, describe, expect, it } from 'vitest';
import { type Conversation, type ModelServer, type ModelServerOptions, startModelServer } from '../../src/mock-model/index.ts';

const COMMAND = 'echo hello';
const TURNS = [{ text: 'I will say it.', shell: COMMAND }, { text: 'It is said.' }];
const PROMPT = 'Say hello. [[script:greet]]';

let server: ModelServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function ask(path: string, body: unknown, options: ModelServerOptions = { scripts: { greet: TURNS } }) {
  server ??= await startModelServer(options);
  const response = await fetch(server.url + path, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
}

const messages = (...content: unknown[]) => content.map((part, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content: part }));

const chatTool = (name: string, parameters: unknown) => ({ type: 'function', function: { name, parameters } });

describe('the mock model server', () => {
  it('answers an Anthropic request with the shell tool that it offers', async () => {
    const tools = [{ name: 'Bash', input_schema: { properties: { command: { type: 'string' } }, required: ['command'] } }];
    const { text } = await ask('/v1/messages', { model: 'm', messages: messages(PROMPT), tools });
    const content = JSON.parse(text).content;
    expect(content[0].text).toBe('I will say it.');
    expect(content[1]).toMatchObject({ type: 'tool_use', name: 'Bash', input: { command: COMMAND } });
  });

  it('fills an array of words and every other required argument from the schema', async () => {
    const parameters = {
      properties: { command: { type: 'array' }, wait: { type: 'boolean' }, mode: { enum: ['async', 'sync'] }, seconds: { type: 'number' } },
      required: ['command', 'wait', 'mode', 'seconds'],
    };
    const { text } = await ask('/v1/chat/completions', { messages: messages(PROMPT), tools: [chatTool('shell', parameters)] });
    const call = JSON.parse(text).choices[0].message.tool_calls[0].function;
    expect(JSON.parse(call.arguments)).toEqual({ command: ['bash', '-lc', COMMAND], wait: true, mode: 'sync', seconds: 30 });
  });

  it('goes to the next turn of the script when the tool was called', async () => {
    const input = [
      { role: 'user', content: [{ type: 'input_text', text: PROMPT }] },
      { type: 'function_call', name: 'exec_command', arguments: '{}' },
      { type: 'function_call_output', output: 'hello' },
    ];
    const { text } = await ask('/v1/responses', { input, tools: [{ type: 'function', name: 'exec_command', parameters: {} }] });
    expect(JSON.parse(text).output[0].content[0].text).toBe('It is said.');
  });

  it('calls a tool that takes free text as one, with the text alone', async () => {
    const patch = '*** Begin Patch\n*** End Patch\n';
    const handler = () => ({ calls: [{ tool: ['apply_patch'], args: { input: patch } }] });
    const { text } = await ask(
      '/v1/responses',
      { input: 'Patch it.', tools: [{ type: 'custom', name: 'apply_patch', format: {} }] },
      { handler },
    );
    expect(JSON.parse(text).output).toMatchObject([{ type: 'custom_tool_call', name: 'apply_patch', input: patch }]);
  });

  it('searches for a tool that is not offered where tools are searched, and calls what was found, in the same step', async () => {
    const handler = ({ turns }: Conversation) => {
      const step = turns.filter(({ calls }) => calls.length > 0).length;
      return step === 0 ? { calls: [{ tool: ['emit', '*emit_event'], args: { topic: 'done' }, isForced: true }] } : { text: 'Over.' };
    };
    const tools = [{ type: 'tool_search', execution: 'client', parameters: {} }];
    const first = await ask('/v1/responses', { input: [{ role: 'user', content: 'Publish.' }], tools }, { handler });
    const [search] = JSON.parse(first.text).output;
    expect(search).toMatchObject({ type: 'tool_search_call', execution: 'client', arguments: { query: 'emit emit_event' } });
    const found = { type: 'namespace', name: 'mcp__ralph', tools: [{ type: 'function', name: 'emit_event', parameters: {} }] };
    const answered = (listed: readonly unknown[]) => [
      { role: 'user', content: 'Publish.' },
      search,
      { type: 'tool_search_output', call_id: search.call_id, execution: 'client', tools: listed },
    ];
    const second = await ask('/v1/responses', { input: answered([found]), tools });
    expect(JSON.parse(second.text).output).toMatchObject([{ type: 'function_call', name: 'emit_event', namespace: 'mcp__ralph' }]);
    const unfound = await ask('/v1/responses', { input: answered([]), tools });
    expect(JSON.parse(unfound.text).output).toMatchObject([{ type: 'function_call', name: 'emit' }]);
  });

  it('starts the script again at a new message that names it', async () => {
    const called = [{ type: 'tool_use', name: 'Bash', input: {} }];
    const { text } = await ask('/v1/messages', {
      messages: messages(PROMPT, called, PROMPT),
      tools: [{ name: 'Bash', input_schema: {} }],
    });
    expect(JSON.parse(text).stop_reason).toBe('tool_use');
  });

  it('streams deltas that join to the text, then the usage', async () => {
    const { text } = await ask(
      '/v1beta/models/g:streamGenerateContent?alt=sse',
      { contents: [{ role: 'user', parts: [{ text: PROMPT }] }] },
      {
        handler: () => ({ text: 'one two three four five', usage: { inputTokens: 7, cachedTokens: 0 } }),
      },
    );
    const chunks = text
      .trim()
      .split('\n\n')
      .map((line) => JSON.parse(line.replace(/^data: /, '')));
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks.map((chunk) => chunk.candidates[0].content.parts[0].text).join('')).toBe('one two three four five');
    expect(chunks.at(-1).usageMetadata).toMatchObject({ promptTokenCount: 7, candidatesTokenCount: 30 });
  });

  it('answers a request without a shell tool harmlessly, whatever the script says', async () => {
    const { text } = await ask('/v1/chat/completions', { messages: messages(PROMPT) });
    expect(JSON.parse(text).choices[0].message).toEqual({ role: 'assistant', content: 'Ok' });
  });

  it('fails as told, in the shape of the vendor', async () => {
    const scripts = { greet: [{ fault: 'overloaded' as const }] };
    const { status, text } = await ask('/v1/messages', { messages: messages(PROMPT) }, { scripts });
    expect(status).toBe(529);
    expect(JSON.parse(text).error.type).toBe('overloaded_error');
  });

  it('breaks the connection in the middle of a stream', async () => {
    const scripts = { greet: [{ text: 'one two three four', fault: 'cut' as const }] };
    await expect(ask('/v1/messages', { stream: true, messages: messages(PROMPT) }, { scripts })).rejects.toThrow();
  });

  it('closes while a client still waits for a stream that hangs', async () => {
    const scripts = { greet: [{ text: 'one two three four', fault: 'hang' as const }] };
    const waiting = ask('/v1/messages', { stream: true, messages: messages(PROMPT) }, { scripts }).catch(() => 'broken');
    while (server?.requests[0]?.answer !== 'hang') await new Promise((wake) => setTimeout(wake, 5));
    await server.close();
    expect(await waiting).toBe('broken');
  });

  it('records what was asked and takes any body', async () => {
    await ask('/v1/messages?beta=true', { model: 'm', messages: messages(PROMPT) });
    await ask('/v1/messages/count_tokens', 'no object');
    await ask('/nowhere', []);
    expect(server?.requests.map(({ path, script, answer }) => ({ path, script, answer }))).toEqual([
      { path: '/v1/messages?beta=true', script: 'greet', answer: 'text' },
      { path: '/v1/messages/count_tokens', script: undefined, answer: '200' },
      { path: '/nowhere', script: undefined, answer: '404' },
    ]);
  });
});
