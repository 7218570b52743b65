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

/** An agent that is told how much to think, and takes no such word; `null` for any other. */
export function toEffortFinding(declared: PlacedBackend['declared']): Finding | null {
  const { type, effort, model = '' } = declared;
  if (effort === undefined) return null;
  if (type !== 'native')
    return toIgnored('only the native agent takes it from here', `Say it as ${type} takes it, with \`args\` or in its own settings.`);
  const provider = findProvider(declared);
  if (provider === undefined || findEffortWay(provider, model) !== 'none') return null;
  const whose = provider === 'scripted' ? 'a script' : quote(model);
  return toIgnored(`${whose} cannot be told how much to think`, 'Leave `effort` out, or take a model that thinks.');
}

function toIgnored(because: string, fix: string): Finding {
  return {
    code: 'effort-ignored',
    severity: 'warning',
    message: `The effort has no effect: ${because}.`,
    why: 'It is sent only to models that take it: the others refuse such requests.',
    fix,
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
