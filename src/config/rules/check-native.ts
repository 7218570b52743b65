import { type Finding, findEffortWay } from '../../core/index.ts';
import type { PlacedBackend } from '../compile-backends.ts';
import { findProvider } from '../native-keys.ts';
import { quote } from '../value-finding.ts';

/** What is missing of a native agent; `null` where nothing is. */
export function toNativeFinding(declared: PlacedBackend['declared']): Finding | null {
  const provider = findProvider(declared);
  if (provider === undefined) {
    return declared.model === undefined
      ? toFinding('has no model', '{type: native, provider: anthropic, model: claude-sonnet-4-5}')
      : toFinding(
          'does not say whose model it is',
          '{type: native, provider: openai-compatible, model: some-model, base_url: "http://localhost:11434/v1"}',
        );
  }
  if (provider === 'scripted') {
    return declared.script === undefined ? toFinding('has no script', '{type: native, provider: scripted, script: ./script.yml}') : null;
  }
  if (declared.model === undefined) return toFinding('has no model', `{type: native, provider: ${provider}, model: the-model}`);
  if (declared.base_url === undefined) {
    if (provider !== 'openai-compatible') return null;
    return toFinding(
      'has no address',
      '{type: native, provider: openai-compatible, model: some-model, base_url: "http://localhost:11434/v1"}',
    );
  }
  // A variable may stand for it, or for a part of it.
  if (declared.base_url.includes('$') || isWebAddress(declared.base_url)) return null;
  return toFinding(
    'has a `base_url` that is no address',
    '{type: native, provider: openai, model: some-model, base_url: "https://host/v1"}',
  );
}

/** A native agent that is told how much to think, and whose model takes no such word; `null` for any other. */
export function toEffortFinding(declared: PlacedBackend['declared']): Finding | null {
  const { type, effort, model = '' } = declared;
  const provider = findProvider(declared);
  if (type !== 'native' || effort === undefined || provider === undefined || findEffortWay(provider, model) !== 'none') return null;
  return {
    code: 'effort-ignored',
    severity: 'warning',
    message: `The effort has no effect: ${provider === 'scripted' ? 'a script' : quote(model)} cannot be told how much to think.`,
    why: 'It is sent only to models that take it: the others refuse such requests.',
    fix: 'Leave `effort` out, or take a model that thinks.',
  };
}

/** Settings of the native agent that stand at another one. */
export function toIgnoredFinding(names: readonly string[], type: string): Finding {
  const [are, them] = names.length === 1 ? ['has', 'it'] : ['have', 'them'];
  return {
    code: 'native-key-ignored',
    severity: 'warning',
    message: `${names.map((name) => `\`${name}\``).join(', ')} ${are} no effect: only the native agent takes ${them}.`,
    why: 'An agent CLI has settings of its own, and is asked by its own command line.',
    fix: `Say it as ${type} takes it, with \`args\` or in its own settings; or leave it out.`,
  };
}

function isWebAddress(text: string): boolean {
  try {
    return /^https?:$/.test(new URL(text).protocol);
  } catch {
    return false;
  }
}

function toFinding(what: string, example: string): Finding {
  return {
    code: 'native-incomplete',
    severity: 'error',
    message: `The native agent ${what}.`,
    why: 'It is a loop around a model: without one there is nobody who could wear the hat.',
    fix: `Write for example:\n\nbackend: ${example}\n\nor say it under \`cli:\` for all hats.`,
  };
}
