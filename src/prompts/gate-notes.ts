import { type Feedback, type GateFailure, type GateResult, toResultName } from '../core/index.ts';
import { fenced, inCode } from './quoting.ts';
import { lines } from './section.ts';
import { ours, say, type Words } from './words.ts';

type NoteOf<K extends Feedback['kind']> = Extract<Feedback, { readonly kind: K }>;

/** What a check that failed said, for who has to mend it. */
export function gateNote({ topic, results, passed = false }: NoteOf<'gate-failed'>): Words {
  const failed = results.filter((result) => !result.passed);
  const first = passed
    ? say`- On ${inCode(topic)} a check failed that is not required: it held nothing back.`
    : say`- ${inCode(topic)} did not count, because a check failed.`;
  return lines(first, ...failed.map(failureOf));
}

/** A check that refused a hat again and again, for who is to find out why. */
export function stuckNote({ hat, topic, gate, count, failures }: NoteOf<'gate-stuck'>): Words {
  return lines(
    say`- ${inCode(hat)} published ${inCode(topic)} and the check ${inCode(gate)} failed, ${ours(String(count))} times in a row. Find out what keeps it from passing: change the approach, not only the words.`,
    ...failures.map(rowOf),
  );
}

/** A check that was red before anybody began. */
export function redBeforeNote({ gates }: NoteOf<'red-before'>): Words {
  return lines(
    ...gates.map(({ command, failedTests, mayStay }) => {
      const failed = failedTests === null ? '' : ` (${failedTests} failed)`;
      return say`- ${inCode(command)} was red before the first turn${ours(failed)}. At the end it must be ${ours(mayStay ? 'no worse' : 'green')}.`;
    }),
  );
}

function rowOf(failure: GateFailure): Words {
  const silent = failure.tail.trim() === '';
  return lines(
    say`Iteration ${ours(String(failure.iteration))}: it ${ours(silent ? `${toEnd(failure)}, without output.` : `${toEnd(failure)}; its output ends:`)}`,
    silent ? [] : fenced(failure.tail),
  );
}

function failureOf(result: GateResult): Words {
  const silent = result.outputTail.trim() === '';
  const named = result.name === undefined ? [] : say` (${inCode(toResultName(result))})`;
  const tries = (result.evidence?.attempts ?? 1) > 1 ? ` at each of ${result.evidence?.attempts} tries` : '';
  const how = `${toEnd(result)}${tries}`;
  return lines(
    say`Command ${inCode(result.command)}${named} ${ours(silent ? `${how}, without output.` : `${how}; its output ends:`)}`,
    silent ? [] : fenced(result.outputTail),
    result.evidence?.isCut === true && result.evidence.log !== null ? say`The whole output: ${inCode(result.evidence.log)}` : [],
  );
}

function toEnd({ timedOut, exitCode }: Pick<GateResult, 'timedOut' | 'exitCode'>): string {
  if (timedOut) return 'ran out of time';
  return exitCode === null ? 'could not be run' : `ended with exit code ${exitCode}`;
}
