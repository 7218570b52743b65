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

/** The state of a run in a word. */
export function AttentionBadge({ state }: { readonly state: Attention['state'] }) {
  return (
    <strong class={`badge ${state}`}>
      <span aria-hidden="true">{MARKS[state]}</span> {toStateText(state)}
    </strong>
  );
}

/** One state of a run with its reason and what to do. */
export function AttentionLine({ attention }: { readonly attention: Attention }) {
  const { state, evidence, action } = attention;
  return (
    <p class={`attention ${state}`}>
      <AttentionBadge state={state} /> <span>{evidence}</span> {action !== '' && <span class="action">{action}</span>}
    </p>
  );
}
