import { defineConfig } from 'vitest/config';

const conditions = ['devflow-source'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: [
      'packages/*/{src,test}/**/*.test.ts',
      'examples/**/*.test.ts',
      'scripts/**/*.test.ts',
      'test/**/*.test.ts',
    ],
    exclude: ['**/node_modules/**', 'test/agents/**', 'test/faults/**'], // npm run test:agents, test:faults
    // Forks, not threads: tests change nothing global, but children must not die with a thread.
    pool: 'forks',
    maxWorkers: 3, // they mostly wait for processes
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    sequence: { shuffle: true, concurrent: false },
  },
});
