import { defineConfig } from 'vitest/config';

const conditions = ['devflow-source'];

/** The built program, killed at every effect: `npm run test:faults`. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['test/faults/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    maxConcurrency: 2,
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 30_000,
  },
});
