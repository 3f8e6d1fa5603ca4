// What may be shown of what holds secrets.

export { maskCommand } from './mask-command.ts';
export { maskText } from './mask-text.ts';
export { isSecretParameter, maskUrl, maskUrlPath } from './mask-url.ts';
export { maskedPlace } from './masked-place.ts';
export { createMasker, type Masker, maskWith } from './masker.ts';
export { redactDefinition, redactUnknownDefinition } from './redact-definition.ts';
export { MIN_SECRET_LENGTH } from './secret-forms.ts';
export { isSecretHolder, MASK } from './secret-name.ts';
