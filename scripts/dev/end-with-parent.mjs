// Loaded into the apps by `npm run dev`: when the runner dies without a chance to stop them (kill -9), the kernel closes
// this channel, and the app ends as it would on SIGTERM.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
