/** How the markers of other tools are read, and in which order they count: see `docs/markers.md`. */
export * from '@devflow/core/markers';
