const STORED = 'ralph-token';
/** Tabs of one browser hand the token on: the code in the address counts only once. */
const CHANNEL = 'ralph-token';
const SIBLING_MS = 400;

interface TokenMessage {
  readonly ask?: true;
  /** An answer. */
  readonly token?: string;
  /** That of a server which has just been opened anew: whoever has an older one takes it. */
  readonly fresh?: string;
}

/** The token that opens the server. */
export interface KeptToken {
  /** The one to use now: a tab that is opened with a new code hands it to all others. */
  readonly get: () => string;
  /** The server does not know it: it is another one. */
  readonly refuse: (token: string) => void;
}

/** The token, and whether it was opened with a code just now; or what to do where there is none. */
export type Session = { readonly token: KeptToken; readonly isNew: boolean } | { readonly refused: string };

/**
 * Finds the token: for the one-time code in the fragment of the address, which is then taken out of it; else what this tab has kept; else what another tab has.
 */
export async function openSession(): Promise<Session> {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1];
  if (code !== undefined) history.replaceState(null, '', '#/');
  const swapped = code === undefined ? null : await swapCode(code);
  const token = swapped ?? sessionStorage.getItem(STORED) ?? (await askSiblings());
  if (token !== null) return { token: keepToken(token, swapped !== null), isNew: swapped !== null };
  const why = code === undefined ? 'This address has no code.' : 'This code has been used, or is too old.';
  return { refused: `${why} Open the address that ralph web printed last.` };
}

function keepToken(found: string, isFresh: boolean): KeptToken {
  let token = found;
  let isGood = true;
  const channel = new BroadcastChannel(CHANNEL);
  const take = (fresh: string): void => {
    token = fresh;
    isGood = true;
    sessionStorage.setItem(STORED, token);
  };
  channel.onmessage = ({ data }: MessageEvent<TokenMessage>) => {
    if (data.ask === true && isGood) channel.postMessage({ token } satisfies TokenMessage);
    if (data.fresh !== undefined) take(data.fresh);
  };
  take(found);
  if (isFresh) channel.postMessage({ fresh: token } satisfies TokenMessage);
  return {
    get: () => token,
    refuse: (refused) => {
      if (refused !== token) return;
      isGood = false;
      sessionStorage.removeItem(STORED);
    },
  };
}

async function swapCode(code: string): Promise<string | null> {
  const response = await fetch('/api/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  if (!response.ok) return null;
  const { token } = (await response.json()) as { readonly token: string };
  return token;
}

function askSiblings(): Promise<string | null> {
  const channel = new BroadcastChannel(CHANNEL);
  return new Promise((resolve) => {
    const end = (token: string | null): void => {
      channel.close();
      resolve(token);
    };
    channel.onmessage = ({ data }: MessageEvent<TokenMessage>) => {
      if (data.token !== undefined) end(data.token);
    };
    channel.postMessage({ ask: true } satisfies TokenMessage);
    setTimeout(() => end(null), SIBLING_MS);
  });
}
