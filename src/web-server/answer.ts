import type { ServerResponse } from 'node:http';
import type { Refused } from './refused.ts';
import type { WebPage } from './served-runs.ts';

/** On every answer. There is none that lets another origin in, and no cookie: all ports of a host share those. */
const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

export function answerJson(response: ServerResponse, value: unknown, status = 200, more: Readonly<Record<string, string>> = {}): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, {
    ...HEADERS,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(body.length),
    ...more,
  });
  response.end(body);
}

/** Says no. What has not been read of the request is not waited for. */
export function answerRefused(response: ServerResponse, { status, refusal }: Refused, allow?: string): void {
  answerJson(response, refusal, status, {
    ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
    ...(allow !== undefined && { Allow: allow }),
    ...(!response.req.complete && { Connection: 'close' }),
  });
}

export function answerPage(response: ServerResponse, page: WebPage): void {
  const body = Buffer.from(page.html);
  response.writeHead(200, {
    ...HEADERS,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': String(body.length),
    'Content-Security-Policy': toPagePolicy(page),
  });
  response.end(body);
}

export function beginEvents(response: ServerResponse): void {
  response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/event-stream; charset=utf-8' });
  response.flushHeaders();
}

function toPagePolicy({ script, style }: WebPage): string {
  const toSources = (hashes: readonly string[]): string => (hashes.length === 0 ? "'none'" : hashes.map((hash) => `'${hash}'`).join(' '));
  return [
    "default-src 'none'",
    `script-src ${toSources(script)}`,
    `style-src ${toSources(style)}`,
    'img-src data:',
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}
