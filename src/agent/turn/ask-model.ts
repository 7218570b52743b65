import type { ModelFailure, ModelRequest, ModelStep } from '../../ports/index.ts';
import type { TurnParts } from '../session/turn-parts.ts';

/** An answer, a failure, or the beginning of an answer whose connection broke. */
export type Answer = ModelStep | { readonly ok: 'cut'; readonly text: string; readonly failure: ModelFailure };

/** Longer than this nobody waits within a turn: the loop knows better what to do with a limit. */
const LONGEST_WAIT_MS = 60_000;

/**
 * Asks the model, and asks again where the failure is a passing one. What it says is told while it comes; an answer that breaks off after its first words
 * is not asked for again, since those words were heard.
 *
 * @param isQuiet the answer is not for anybody's ears (a summary)
 */
export async function askModel(parts: TurnParts, request: ModelRequest, isQuiet = false): Promise<Answer> {
  const { model, signal, tell, transcript, tools, limits } = parts;
  for (let attempt = 1; ; attempt += 1) {
    let text = '';
    const step = await model.step(
      request,
      (delta) => {
        if (delta.type === 'alive') return tell(delta);
        if (isQuiet || delta.text === '') return;
        if (delta.type === 'text') text += delta.text;
        tell(delta);
      },
      signal,
    );
    if (step.ok) return step;
    const failure = { ...step.failure, message: tools.redact(step.failure.message) };
    const delayMs = toDelay(failure, attempt, limits.retry);
    if (delayMs === null) return { ok: false, failure: toFinalFailure(failure, attempt) };
    transcript.append({ type: 'retry', class: failure.class, message: failure.message, delayMs });
    tell({ type: 'retry', message: failure.message, delayMs });
    await parts.wait(delayMs, signal);
    if (text.trim() !== '') return { ok: 'cut', text, failure };
  }
}

/** How long to wait before the next try; `null` where there is none. */
function toDelay(failure: ModelFailure, attempt: number, { maxAttempts, baseMs, maxMs }: TurnParts['limits']['retry']): number | null {
  if (failure.class !== 'transient' || attempt >= maxAttempts) return null;
  const { retryAfterMs: asked = 0 } = failure;
  if (asked > LONGEST_WAIT_MS) return null;
  // The provider knows better when it will be ready.
  return asked > 0 ? asked : Math.min(maxMs, baseMs * 2 ** (attempt - 1));
}

/** Being told to come back much later is what a limit is. */
function toFinalFailure(failure: ModelFailure, attempts: number): ModelFailure {
  if (failure.class !== 'transient') return failure;
  if ((failure.retryAfterMs ?? 0) > LONGEST_WAIT_MS) return { ...failure, class: 'limit' };
  return attempts > 1 ? { ...failure, wasRetried: true } : failure;
}
