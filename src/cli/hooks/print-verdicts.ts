import type { HookInject } from '../../core/hooks/hook-spec.ts';
import { toPlainLine } from '../../views/text/plain-text.ts';
import type { CliContext } from '../cli-context.ts';
import { printTable } from '../terminal/print.ts';
import { printLine } from '../terminal/terminal.ts';
import type { ContractVerdict } from './loop-verdicts.ts';
import type { Verdicts } from './permission-rows.ts';

/** What `--format json` prints. What became of an output is there only where a hook changed it, the contract only of an event. */
export function toVerdictsJson({ verdicts, merged }: Verdicts, contract: ContractVerdict | null): object {
  const { decision, reason, input, output, injects, runs } = merged;
  return {
    verdicts,
    merged: {
      decision,
      reason,
      updated_input: input ?? null,
      ...(output === undefined ? {} : { updated_output: output }),
      ...(contract === null ? {} : { may_publish: contract.mayPublish }),
      injects: injects.map(({ content, strategy }) => ({ content, strategy })),
      errors: runs.flatMap(({ name, error }) => (error === null ? [] : [`${name}: ${error}`])),
    },
  };
}

interface TestedTerms {
  /** What becomes of a call that nobody is there to allow; `null`: an event was tried, and no call. */
  readonly onAsk: string | null;
  /** `null` where no event of a hat was tried. */
  readonly contract: ContractVerdict | null;
}

/** What each hook and rule says, and what comes of all together. */
export function printVerdicts({ terminal }: CliContext, { verdicts, merged }: Verdicts, { onAsk, contract }: TestedTerms): void {
  const { decision, reason, input, output, injects } = merged;
  const breach = contract === null || contract.mayPublish ? [] : [toBreachText(contract)];
  if (verdicts.length === 0) {
    const untouched = 'No hook is asked about this call, and no rule names it: it would be made.';
    printLine(terminal, onAsk === null ? 'No hook is asked about this event.' : untouched);
    for (const line of breach) printLine(terminal, line);
    return;
  }
  printTable(
    terminal,
    ['hook or rule', 'says', 'reason', 'error', 'ms'],
    verdicts.map(({ name, decision: own, reason: why, error, ms }) => [
      toPlainLine(name, 60),
      own,
      toPlainLine(why, 200) || '-',
      toPlainLine(error ?? '', 200) || '-',
      ms.toFixed(1),
    ]),
  );
  printLine(terminal, '');
  printLine(terminal, `Together: ${decision}${reason === '' ? '' : `, because ${toPlainLine(reason, 400)}`}`);
  if (decision === 'ask' && onAsk !== null)
    printLine(terminal, `A hook of PermissionRequest, else a person is asked. Where nobody is there: ${onAsk} (on_ask).`);
  if (input !== undefined) {
    const changed = onAsk === null ? 'The event would be' : 'The tool would be called with';
    printLine(terminal, `${changed} ${toPlainLine(JSON.stringify(input), 400)}`);
  }
  for (const line of breach) printLine(terminal, line);
  if (output !== undefined) printLine(terminal, `The model would read instead: ${toPlainLine(output, 400)}`);
  for (const inject of injects)
    printLine(terminal, onAsk === null ? `The hat would be told: ${toPlainLine(inject.content, 400)}` : toInjectLine(inject));
}

const INJECT_PLACES = {
  tool_result: 'behind the result',
  user_message: 'in a message behind all results',
  system_message: 'in a message of the system behind all results',
} as const satisfies Record<HookInject['strategy'], string>;

function toInjectLine({ content, strategy }: HookInject): string {
  return `The model would read ${INJECT_PLACES[strategy]}: ${toPlainLine(content, 400)}`;
}

function toBreachText({ hat, topic, isMoved, publishes }: ContractVerdict): string {
  const allowed = toPlainLine(publishes.join(', '), 400) || 'nothing';
  const rule = `${hat} may not publish ${toPlainLine(topic, 80)} (${allowed})`;
  return isMoved ? `It would be dropped: ${rule}.` : `In a run no hook is asked about it: ${rule}.`;
}
