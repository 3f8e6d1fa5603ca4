import {
  closeInheritedDescriptors,
  loadProgram,
  refuseDebugger,
  takeEnvironment,
} from '@escapement/service/environment';

// Before all else is loaded: until then others can read the credentials in this process' environment.
refuseDebugger();
const env = takeEnvironment();
closeInheritedDescriptors();
const { runApi } = await loadProgram(() => import('./run-api.ts'));
await runApi(env);
