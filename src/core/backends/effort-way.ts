import type { NativeProvider } from './backend-spec.ts';

/**
 * How a model is told how much to think: `effort` by that word (openai, openai-compatible), `adaptive` by it beside thinking that the model measures out
 * itself, `budget` by a number of tokens, `level` by a level of thinking; `none`: it takes nothing of the kind.
 */
export type EffortWay = 'effort' | 'adaptive' | 'budget' | 'level' | 'none';

/** The way of a model, by its name; as the providers' own pages say it, of November 2026. */
export function findEffortWay(provider: NativeProvider, model: string): EffortWay {
  return WAYS[provider](model);
}

const WAYS: Readonly<Record<NativeProvider, (model: string) => EffortWay>> = {
  anthropic: (model) => {
    // Other models on this wire know budgets, if anything.
    if (!model.includes('claude')) return 'budget';
    const version = findVersion(/claude-(?:[a-z]+-)?(\d+)(?:[-.](\d{1,2}))?(?!\d)/, model);
    if (version === null || version >= 406) return 'adaptive';
    return version >= 307 ? 'budget' : 'none';
  },
  // What is called otherwise may be anything: who writes `effort` there knows why, and the provider refuses what it does not take.
  openai: (model) => (/^(?:gpt-[34]|gpt-5-chat|chatgpt)/.test(model) ? 'none' : 'effort'),
  google: (model) => {
    if (!model.includes('gemini')) return 'none';
    const version = findVersion(/gemini-(\d+)(?:\.(\d{1,2}))?/, model);
    if (version === null || version >= 300) return 'level';
    return version >= 205 ? 'budget' : 'none';
  },
  'openai-compatible': () => 'effort',
  scripted: () => 'none',
};

/** 406 for 4.6; `null` where the name tells none. */
function findVersion(pattern: RegExp, model: string): number | null {
  const found = pattern.exec(model);
  return found === null ? null : Number(found[1]) * 100 + Number(found[2] ?? 0);
}
