/** Finds out of a model request whose turn it belongs to: by the words of the prompt alone, as a model would. */
import { existsSync, readFileSync } from 'node:fs';

const HAT = /You wear the hat [^\n]*?\(`([^`\n]+)`\)/;
const RALPH = /^## SOLO MODE/m;
/** What a CLI is asked that takes long prompts in a file only. */
const IN_FILE = /Your whole task is written in the file (\S+) \./;

/**
 * @typedef {object} HatTurn
 * @property {string} hat id of the hat; `ralph` for Ralph alone
 * @property {string} prompt
 * @property {number} step how many rounds of tool calls there were since the prompt
 * @property {string} lastResult what the last tool call gave back; empty before the first
 */

/**
 * @param {import('../../src/mock-model/index.ts').Conversation} conversation
 * @returns {HatTurn | undefined} undefined for a request that has nothing to do with a hat
 */
function readHatTurn({ turns }) {
  const prompts = turns.map(({ role, text }) => (role === 'user' ? readPrompt(text) : undefined));
  const at = prompts.findLastIndex((text) => text !== undefined);
  const prompt = prompts[at];
  if (prompt === undefined) return undefined;
  const later = turns.slice(at + 1);
  return {
    hat: HAT.exec(prompt)?.[1] ?? 'ralph',
    prompt,
    step: later.filter(({ calls }) => calls.length > 0).length,
    lastResult: later.flatMap(({ results }) => results).at(-1) ?? '',
  };
}

/**
 * The prompt in a message. A model that is told to read it in a file would do so with its tools; this one is quicker.
 *
 * @param {string} text
 */
function readPrompt(text) {
  const path = IN_FILE.exec(text)?.[1];
  const prompt = path !== undefined && existsSync(path) ? readFileSync(path, 'utf8') : text;
  return HAT.test(prompt) || RALPH.test(prompt) ? prompt : undefined;
}

/**
 * A handler for the mock server that asks `play` what the model says in a turn of a hat.
 *
 * @param {(turn: HatTurn) => import('../../src/mock-model/index.ts').Reply | undefined} play
 * @returns {import('../../src/mock-model/index.ts').Handler}
 */
export function playHats(play) {
  return (conversation) => {
    const turn = readHatTurn(conversation);
    const reply = turn === undefined ? undefined : play(turn);
    return reply === undefined || turn === undefined ? undefined : { name: turn.hat, ...reply };
  };
}

/**
 * The reply at a turn's step; the last one again when all were said.
 *
 * @param {HatTurn} turn
 * @param {...import('../../src/mock-model/index.ts').Reply} replies
 * @returns {import('../../src/mock-model/index.ts').Reply}
 */
export function inOrder({ step }, ...replies) {
  return replies[Math.min(step, replies.length - 1)] ?? {};
}

/**
 * @param {string} topic
 * @param {string} payload without single quotes
 * @returns {string} a shell command that appends an event to the agents' file
 */
export function appendLine(topic, payload) {
  return `printf '%s\\n' '${JSON.stringify({ topic, payload })}' >> "$RALPH_EVENTS_FILE"`;
}
