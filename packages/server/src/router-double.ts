export * from '@edge-controller/router-double';
