/**
 * The simplest proof for one CLI: a single headless turn in which the model asks for a shell command that appends an event.
 * A lane is a function from an installed CLI and a server to a list of problems; other lanes can take its place in the runner.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { turnArgv } from '../cli-argv.mjs';
import { modelOf } from '../cli-config.mjs';
import { createPlace } from '../place.mjs';
import { runBounded } from '../run-bounded.mjs';

const EVENT = '{"topic":"build.done","payload":"ok"}';
/** First word of the final text; at most eight characters, because streams cut texts into deltas and no shorter than that. */
const FINAL_WORD = 'Appended';
const PROMPT = 'Write the build event to the events file, then say that it is there.\n\n[[script:direct]]';

/** @type {Record<string, import('../../../src/mock-model/index.ts').Reply[]>} */
export const scripts = {
  direct: [
    { text: 'I will write the event.', shell: `mkdir -p .agent && printf '%s\\n' '${EVENT}' >> .agent/events.jsonl` },
    { text: `${FINAL_WORD}: the event is in the file.\n\nLOOP_COMPLETE` },
  ],
};

/**
 * @typedef {object} LaneContext
 * @property {import('../../../src/mock-model/index.ts').ModelServer} server
 * @property {number} timeoutMs
 * @property {boolean} keep leave the temporary folders there
 */

/**
 * @param {import('../clis.mjs').InstalledCli} cli
 * @param {LaneContext} context
 * @returns {Promise<string[]>} what is wrong, one line each; empty when all is well
 */
export async function exercise({ spec, bin }, { server, timeoutMs, keep }) {
  const place = await createPlace(spec.name, server.port, { keep });
  const before = server.requests.length;
  try {
    const { args, input } = turnArgv(spec.name, { prompt: PROMPT, model: modelOf(spec.name), cwd: place.cwd });
    const result = await runBounded(bin, args, { cwd: place.cwd, env: place.env, timeoutMs, ...(input === undefined ? {} : { input }) });
    const written = await readFile(join(place.cwd, '.agent', 'events.jsonl'), 'utf8').catch(() => '');
    return judge(
      result,
      written,
      server.requests.slice(before).map((request) => request.answer),
    );
  } finally {
    await place.dispose();
  }
}

/**
 * @param {import('../run-bounded.mjs').BoundedResult} result
 * @param {string} written content of the events file
 * @param {string[]} answers what the server gave, in order
 * @returns {string[]}
 */
function judge(result, written, answers) {
  const problems = [];
  if (result.timedOut) problems.push(`it did not end in time`);
  if (result.exitCode !== 0) problems.push(`exit code ${result.exitCode ?? result.signal}, expected 0`);
  if (written.trim() !== EVENT) problems.push(`the events file holds ${JSON.stringify(written.slice(0, 200))}`);
  if (!result.stdout.includes(FINAL_WORD)) problems.push('the final text is not in its stream');
  if (!answers.includes('call')) problems.push(`the model was never asked with a shell tool (answers: ${answers.join(', ') || 'none'})`);
  const detail = (result.stderr || result.stdout).trim().split('\n').at(-1)?.slice(0, 300);
  return problems.length === 0 ? [] : [...problems, `last words: ${detail ?? ''}`];
}
