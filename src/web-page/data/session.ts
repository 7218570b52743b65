const STORED = 'ralph-token';
/** Tabs of one browser hand the token on: the code in the address counts only once. */
const CHANNEL = 'ralph-token';
const SIBLING_MS = 400;

interface TokenMessage {
  readonly ask?: true;
  readonly token?: string;
}

/** The token that opens the server, and what to do where there is none. */
export type Session = { readonly token: string } | { readonly refused: string };

/**
 * Finds the token: for the one-time code in the fragment of the address, which is then taken out of it; else what this tab has kept; else what another tab has.
 */
export async function openSession(): Promise<Session> {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1];
  if (code !== undefined) history.replaceState(null, '', '#/');
  const swapped = code === undefined ? null : await swapCode(code);
  const token = swapped ?? sessionStorage.getItem(STORED) ?? (await askSiblings());
  if (token === null) {
    const why = code === undefined ? 'This address has no code.' : 'This code has been used, or is too old.';
    return { refused: `${why} Open the address that ralph web printed last.` };
  }
  sessionStorage.setItem(STORED, token);
  answerSiblings(token);
  return { token };
}

/** The token is worth nothing any more: the server is another one. */
export function forgetToken(): void {
  sessionStorage.removeItem(STORED);
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

function answerSiblings(token: string): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<TokenMessage>) => {
    if (data.ask === true) channel.postMessage({ token } satisfies TokenMessage);
  };
}
