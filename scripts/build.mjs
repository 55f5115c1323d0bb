import { bootstrap, build } from './bootstrap.mjs';

bootstrap();
console.log('building what is stale …');
build(['*']);
