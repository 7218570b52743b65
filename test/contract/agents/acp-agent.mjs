/**
 * An agent that speaks the Agent Client Protocol with the protocol's own library, so that our side is checked by somebody else's.
 * `acp-agent.mjs MODE`: `answer` (asks for a permission, then answers), `refuse` (no login), `hang` (until it is cancelled),
 * `stay` (answers, and does not leave when its input ends), `deaf` (hangs whatever it is told).
 */
import { Readable, Writable } from 'node:stream';
import { agent, methods, ndJsonStream, PROTOCOL_VERSION, RequestError } from '@agentclientprotocol/sdk';

const mode = process.argv[2];
let cancel = () => {};

async function answer(client, sessionId) {
  const say = (update) => client.notify(methods.client.session.update, { sessionId, update });
  const text = (words) => say({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: words } });
  await text('I will ');
  await text('ask.');
  await say({
    sessionUpdate: 'tool_call',
    toolCallId: 't1',
    title: 'Run it',
    kind: 'execute',
    status: 'pending',
    rawInput: { command: 'npm test' },
  });
  const { outcome } = await client.request(methods.client.session.requestPermission, {
    sessionId,
    toolCall: { toolCallId: 't1', title: 'Run it' },
    options: [
      { optionId: 'no', name: 'No', kind: 'reject_once' },
      { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
    ],
  });
  const allowed = outcome.outcome === 'selected' && outcome.optionId === 'yes';
  await say({ sessionUpdate: 'tool_call_update', toolCallId: 't1', status: allowed ? 'completed' : 'failed' });
  await text(allowed ? 'Allowed.' : 'Refused.');
  return { stopReason: 'end_turn', usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 } };
}

const app = agent({ name: 'test-agent' })
  .onRequest(methods.agent.initialize, () => ({ protocolVersion: PROTOCOL_VERSION, agentCapabilities: {} }))
  .onRequest(methods.agent.session.new, () => {
    if (mode === 'refuse') throw RequestError.authRequired();
    return { sessionId: 'session-1' };
  })
  .onRequest(methods.agent.session.prompt, ({ client, params }) => {
    if (mode === 'answer' || mode === 'stay') return answer(client, params.sessionId);
    return new Promise((resolve) => (cancel = () => resolve({ stopReason: 'cancelled' })));
  })
  .onNotification(methods.agent.session.cancel, () => {
    if (mode !== 'deaf') cancel();
  });
app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));

if (mode === 'stay' || mode === 'deaf') setInterval(() => {}, 1000);
if (mode === 'deaf') process.on('SIGTERM', () => {});
