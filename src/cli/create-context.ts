import { askPerson } from './ask-person.ts';
import type { CliContext } from './cli-context.ts';
import { createTerminal } from './terminal.ts';

/** The context of a command in this process. */
export function createContext(given: Readonly<Record<string, string | undefined>>): CliContext {
  const env = Object.fromEntries(Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined));
  const isAnswerable = process.stdin.isTTY === true && process.stderr.isTTY === true;
  return {
    cwd: process.cwd(),
    env,
    terminal: createTerminal(process.stdout, process.stderr, env),
    signals: process,
    readStdin,
    ask: isAnswerable ? askPerson : null,
    now: () => Date.now(),
    loadApp: () => import('../app/index.ts'),
  };
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
