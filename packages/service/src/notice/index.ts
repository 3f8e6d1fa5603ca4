export type { Notice, NoticeChannel, NoticeResult } from './notice.ts';
export { type NoticeJson, noticeJson, noticeSubject, noticeText } from './render.ts';
export { createNoticeSender, type NoticeSender, type NoticeSenderOptions } from './sender.ts';
