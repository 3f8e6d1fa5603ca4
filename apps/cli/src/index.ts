// What tasks import from `escapement`: all of the SDK.

export * from '@escapement/sdk';
