import type { HatSpec } from '../../core/run/run-spec.ts';
import type { FlowFinding } from '../../core/schema/finding.ts';
import type { FlowRule } from '../analysis/flow-rule.ts';

const VERBS = 'add|close|delete|ensure|fail|init|list|prime|ready|reopen|search|show|start';
/** Whoever wrote the instructions for ralph-orchestrator names its commands. Read in its version 2.10.1. */
const COMMAND = new RegExp(
  String.raw`(?<![\w./-])(?:ralph|"?\$\{?RALPH_BIN\}?"?)\s+(?:tools\s+(?:task|memory|skill|interact)\b|(?:wave\s+emit|loops|(?:task|memory)\s+(?:${VERBS}))(?![\w.-]))`,
  'g',
);
/** What makes a command of words that may be plain English: code quotes or a prompt before them, or an open code block. */
function isCode(before: string): boolean {
  return /(?:`|\$[ \t]+)$/.test(before) || (before.match(/^[ \t]*```/gm) ?? []).length % 2 === 1;
}

/** "do not use", before a command and perhaps others in the same sentence. */
const FORBIDDEN = /\b(?:never|do not|don['’]t|must not|may not|cannot)\s+(?:\w+\s+)?(?:use|call|run)\b[^.!?\n;]*$/i;

const PAD = 'Let the hat keep its list and what it wants to remember in the scratchpad, which is part of every prompt';
/** What takes the place of a command, by a word of it. */
const INSTEAD: readonly (readonly [word: string, instead: string])[] = [
  ['task', PAD],
  ['memory', PAD],
  ['skill', 'Write what the skill says into the instructions, or let them name a file of the repository'],
  ['interact', 'Let the hat say it in its final message, which people see'],
  ['wave', 'Let the hat publish one event after another with `ralph emit TOPIC PAYLOAD`'],
  ['loops', 'Take it out: people look after worktrees with `ralph worktrees`'],
];

/** Instructions that tell a hat to call a command that is not there: it fails, and turns are lost on it. */
export const checkInstructionCommands: FlowRule = ({ hats }) =>
  hats.flatMap((hat) => {
    const found = new Map<string, FlowFinding>();
    for (const { 0: words, index } of hat.instructions.matchAll(COMMAND)) {
      const before = hat.instructions.slice(0, index);
      if (FORBIDDEN.test(before) || (/^ralph\s+(?!tools|wave)/.test(words) && !isCode(before))) continue;
      const command = words.replace(new RegExp(String.raw`\s+(?:${VERBS})$`), '');
      if (!found.has(command)) found.set(command, toFinding(hat, command));
    }
    return [...found.values()];
  });

function toFinding(hat: HatSpec, command: string): FlowFinding {
  const [, instead = 'Take it out'] = INSTEAD.find(([word]) => command.includes(word)) ?? [];
  return {
    code: 'instruction-command',
    severity: 'warning',
    at: { kind: 'hat-words', hat: hat.id, words: command },
    message: `Hat '${hat.id}' is told to call \`${command}\`, which is no command here.`,
    why: 'It is a command of ralph-orchestrator. The call fails, and the agent spends its turn on finding out why.',
    fix: `${instead}.`,
    hats: [hat.id],
  };
}
