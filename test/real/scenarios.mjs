/** What is recorded with every CLI: how the model behaves in each scenario, and how long to wait for an end. */

/**
 * @typedef {object} Scenario
 * @property {string} name also the file name
 * @property {import('../../src/mock-model/index.ts').Reply[]} turns
 * @property {number} timeoutMs after it the CLI is ended and what came until then is kept
 * @property {boolean} [retries] the CLI's own retries stay on
 * @property {boolean} [subscription] signed in as a subscriber
 * @property {boolean} [guarded] without the flag that bypasses permissions
 * @property {string[]} [only] CLIs that it makes sense for; default all
 */

const PATIENCE_MS = 30_000;
const RETRY_PATIENCE_MS = 25_000;
const APPEND = `mkdir -p .agent && printf '%s\\n' '{"topic":"build.done","payload":"ok"}' >> .agent/events.jsonl && echo appended`;
const START = { text: 'I will append the event.', shell: APPEND };
const END = { text: 'The event is in the file.\n\nLOOP_COMPLETE' };

/**
 * The promise stands on a line of its own in the prompt too: clients that echo the prompt must not be taken for agents that
 * are done.
 */
export const PROMPT_LINES = ['Append one event to .agent/events.jsonl. When it is there, end your answer with this line:', 'LOOP_COMPLETE'];

/** CLIs whose permission system is switched by a flag. */
const GUARDED = ['claude', 'codex', 'gemini', 'copilot', 'qwen', 'cline'];

/** @type {ReadonlyArray<Scenario>} */
export const SCENARIOS = [
  { name: 'success', turns: [START, END], timeoutMs: PATIENCE_MS },
  {
    name: 'tool-failed',
    turns: [{ text: 'I will run the tests.', shell: 'echo "1 test failed" >&2; exit 3' }, { text: 'The tests fail.' }],
    timeoutMs: PATIENCE_MS,
  },
  { name: 'empty', turns: [{ shell: APPEND }, {}], timeoutMs: RETRY_PATIENCE_MS },
  { name: 'permission-denied', turns: [START, END], timeoutMs: PATIENCE_MS, guarded: true, only: GUARDED },
  { name: 'error-auth', turns: [{ fault: 'unauthorized' }], timeoutMs: RETRY_PATIENCE_MS },
  { name: 'rate-limit', turns: [{ fault: 'rate-limited' }], timeoutMs: RETRY_PATIENCE_MS },
  { name: 'rate-limit-retries', turns: [{ fault: 'rate-limited' }], timeoutMs: 12_000, retries: true, only: ['claude', 'codex'] },
  { name: 'usage-limit', turns: [{ fault: 'usage-limit' }], timeoutMs: RETRY_PATIENCE_MS },
  {
    name: 'usage-limit-subscription',
    turns: [{ fault: 'usage-limit' }],
    timeoutMs: RETRY_PATIENCE_MS,
    subscription: true,
    only: ['claude'],
  },
  { name: 'overloaded', turns: [{ fault: 'overloaded' }], timeoutMs: RETRY_PATIENCE_MS },
  { name: 'server-error', turns: [{ fault: 'server-error' }], timeoutMs: RETRY_PATIENCE_MS },
  { name: 'late-error', turns: [START, { fault: 'server-error' }], timeoutMs: RETRY_PATIENCE_MS },
  { name: 'cut-stream', turns: [{ ...END, fault: 'cut' }], timeoutMs: RETRY_PATIENCE_MS },
  { name: 'malformed-stream', turns: [{ ...END, fault: 'malformed' }], timeoutMs: RETRY_PATIENCE_MS },
  { name: 'hang', turns: [START, { ...END, fault: 'hang' }], timeoutMs: 8_000 },
];
