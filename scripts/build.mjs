import { bootstrap, build } from './bootstrap.mjs';

bootstrap();
console.log('Building changed packages …');
build(['*']);
