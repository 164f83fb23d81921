// Two agents of the project's own: `noter` has a module that speaks its language, `reader` is a plain program.
export default {
  name: 'custom-adapter',
  sandbox: 'none',
  profiles: { brief: { adapter: 'noter', model: 'brief' } },
  defaults: { timeout: '1m', retries: 0 },
  phases: [
    { id: 1, name: 'note', agent: 'brief', prompt: 'Note this: {{task}}' },
    {
      id: 2,
      name: 'read',
      mode: 'review',
      agent: 'reader',
      requires: ['answer', 'verdict'],
      prompt: 'Is it noted? {{phases.note.summary}}',
    },
  ],
};
