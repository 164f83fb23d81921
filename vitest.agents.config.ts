import { defineConfig } from 'vitest/config';

const conditions = ['devflow-source'];

/** The real agent CLIs against a scripted model: `npm run test:agents`. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['test/agents/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    isolate: false,
    testTimeout: 180_000,
    hookTimeout: 30_000,
    sequence: { shuffle: true, concurrent: false },
  },
});
