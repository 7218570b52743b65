import { toStateText } from '../../views/report/attention.ts';
import type { Attention } from '../../wire/attention.ts';
import type { RunFrame } from '../../wire/run-frame.ts';
import type { RunListRow } from '../../wire/run-list.ts';

/** Told apart without colour, too. */
const MARKS: Readonly<Record<Attention['state'], string>> = {
  needs_you: '!',
  stuck: '!',
  gate_red: '✗',
  limit_near: '▲',
  working: '▶',
  done: '✓',
};

/** The run that it is about. */
interface BadgeRun {
  readonly state: RunListRow['state'];
  readonly reason: string | null;
}

/** The state of a run in a word. What ended otherwise than completed is not called done, and what goes on only with an answer is said to wait. */
export function AttentionBadge({ state, run }: { readonly state: Attention['state']; readonly run: BadgeRun }) {
  const isStopped = state === 'done' && run.reason !== null && run.reason !== 'completed';
  const isWaiting = state === 'needs_you' && run.state === 'waiting';
  const word = isStopped ? (run.reason ?? '').replaceAll('_', ' ') : isWaiting ? 'waiting for you' : toStateText(state);
  return <Badge kind={isStopped ? '' : state} mark={isStopped ? '■' : MARKS[state]} word={word} />;
}

const KINDS: Readonly<Record<RunFrame['state'], readonly [kind: string, mark: string]>> = {
  running: ['working', '▶'],
  waiting: ['needs_you', '!'],
  parked: ['', '‖'],
  ended: ['', '■'],
  gone: ['', '■'],
  unseen: ['', '?'],
};

/** The one word for how a run is. */
export function WordBadge({ frame }: { readonly frame: RunFrame }) {
  const [kind, mark] = frame.end?.reason === 'completed' ? ['done', '✓'] : KINDS[frame.state];
  return <Badge kind={kind} mark={mark} word={frame.word} />;
}

function Badge({ kind, mark, word }: { readonly kind: string; readonly mark: string; readonly word: string }) {
  return (
    <strong class={`badge ${kind}`}>
      <span aria-hidden="true">{mark}</span> {word}
    </strong>
  );
}

/** One state of a run with its reason and what to do. */
export function AttentionLine({ attention, frame }: { readonly attention: Attention; readonly frame: RunFrame }) {
  const { state, evidence, action } = attention;
  return (
    <p class={`attention ${state}`}>
      <AttentionBadge state={state} run={{ state: frame.state, reason: frame.end?.reason ?? null }} /> <WithCommands text={evidence} />{' '}
      {action !== '' && (
        <span class="action">
          <WithCommands text={action} />
        </span>
      )}
    </p>
  );
}

/** A text whose commands stand between backticks. */
export function WithCommands({ text }: { readonly text: string }) {
  return <span>{text.split('`').map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))}</span>;
}
