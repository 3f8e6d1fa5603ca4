// What applications import from `escapement/client`, to start runs and to wait for their results.

export * from '@escapement/client';
