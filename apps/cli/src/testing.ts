// What tests of tasks import from `escapement/testing`.

export * from '@escapement/sdk/testing';
