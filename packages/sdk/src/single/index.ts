// The build makes one file of it, which loads nothing later: see `tsup.single.config.ts`.
export * from '../client/index.ts';
