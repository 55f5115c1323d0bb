// Builds all packages, as far as they have changed: npm run build
import { build } from './bootstrap.mjs';

await build(['*']);
