import { toStateText } from '../../views/report/index.ts';
import type { Attention } from '../../wire/attention.ts';

/** Told apart without colour, too. */
const MARKS: Readonly<Record<Attention['state'], string>> = {
  needs_you: '!',
  stuck: '■',
  gate_red: '✗',
  limit_near: '▲',
  working: '▶',
  done: '✓',
};

/** The state of a run in a word. What ended otherwise than completed is not called done. */
export function AttentionBadge({ state, reason }: { readonly state: Attention['state']; readonly reason: string | null }) {
  if (state === 'done' && reason !== null && reason !== 'completed')
    return (
      <strong class="badge">
        <span aria-hidden="true">■</span> {reason.replaceAll('_', ' ')}
      </strong>
    );
  return (
    <strong class={`badge ${state}`}>
      <span aria-hidden="true">{MARKS[state]}</span> {toStateText(state)}
    </strong>
  );
}

/** One state of a run with its reason and what to do. */
export function AttentionLine({ attention, reason }: { readonly attention: Attention; readonly reason: string | null }) {
  const { state, evidence, action } = attention;
  return (
    <p class={`attention ${state}`}>
      <AttentionBadge state={state} reason={reason} /> <span>{evidence}</span> {action !== '' && <span class="action">{action}</span>}
    </p>
  );
}
