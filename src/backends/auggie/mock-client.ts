import type { MockClient } from '../description.ts';

/** How it is pointed at the mock model server. */
export const MOCK_CLIENT: MockClient = {
  model: 'mock-model',
  args: [],
  toSettings: ({ port }) => ({
    env: {
      AUGMENT_SESSION_AUTH: JSON.stringify({ accessToken: 'mock', tenantURL: `http://127.0.0.1:${port}/`, scopes: ['read', 'write'] }),
      AUGMENT_DISABLE_AUTO_UPDATE: '1',
    },
  }),
};
