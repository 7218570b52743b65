/** One turn of a scripted agent: `node play.mjs FAMILY/VARIANT STATE [… PROMPT]`; without a prompt among the words it is read from standard input. */
import { existsSync, readFileSync } from 'node:fs';
import { createAgent } from './agent.mjs';
import { CASES } from './cases.mjs';

const [name, state, ...words] = process.argv.slice(2);
const played = CASES.find((one) => one.name === name);
if (played === undefined || state === undefined) throw new Error(`no such agent: ${name}`);
await played.act(createAgent(state, readPrompt(words.at(-1))));

/** Some tools hand a long prompt over in a file and say only where it is. */
function readPrompt(word) {
  if (word === undefined) return readFileSync(0, 'utf8');
  const file = word.length < 300 ? /\/\S+/.exec(word)?.[0] : undefined;
  return file !== undefined && existsSync(file) ? readFileSync(file, 'utf8') : word;
}
