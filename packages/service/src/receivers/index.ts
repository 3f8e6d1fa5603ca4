export { messageJson } from './message-json.ts';
export { type HttpReceiver, type ReceiverRequest, requestsFor } from './requests.ts';
export type { SendResult } from './send-result.ts';
export { createMessageSender, type MessageSender, type MessageSenderOptions } from './sender.ts';
export { messageSubject, messageText, noteText } from './text.ts';
