/** US dollars per million tokens, so that clients that price by config report a cost that a test can work out. */
export const MOCK_PRICE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
