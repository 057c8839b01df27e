// Replays files of calls (calls.h) with the results that TensorFlow gave:
//
//   sequences FILE...            compares
//   sequences --record FILE...   writes the results of this library into the files
//
// Below each call stand its results, as "  = value" lines, or "  ! CODE". Blank lines and "#" lines are
// kept. Each file has contexts of its own.
#include "calls.h"

static char* read_file(const char* path) {
  FILE* f = fopen(path, "rb");
  if (f == NULL) bad_text("cannot be read", path);
  char* text = NULL;
  size_t size = 0, n;
  do {
    text = realloc(text, size + 65537);
    n = fread(text + size, 1, 65536, f);
    size += n;
  } while (n != 0);
  text[size] = '\0';
  fclose(f);
  return text;
}

static void add_indented(Text* out, const char* lines) {
  for (const char* p = lines; p != NULL && *p != '\0';) {
    const size_t n = strcspn(p, "\n");
    out->data = realloc(out->data, out->size + n + 5);
    out->size += (size_t)sprintf(out->data + out->size, "  %.*s\n", (int)n, p);
    p += n + 1;
  }
}

// The file as it is when this library makes the calls.
static char* replay(char* text) {
  Calls calls = {0};
  Text out = {NULL, 0};
  text_add(&out, "%s", "");
  char* next;
  for (char* line = text; line != NULL; line = next) {
    next = strchr(line, '\n');
    if (next != NULL) *next++ = '\0';
    if (line[0] == ' ') continue;  // an older result
    if (line[0] != '\0' || next != NULL) {
      out.data = realloc(out.data, out.size + strlen(line) + 2);
      out.size += (size_t)sprintf(out.data + out.size, "%s\n", line);
    }
    if (line[0] == '\0' || line[0] == '#') continue;
    call_line(&calls, line);
    if (TF_GetCode(status) == TF_OK) add_indented(&out, calls.shown.data);
    else text_add(&out, "  ! %s\n", code_name((int)TF_GetCode(status)));
  }
  calls_end(&calls);
  return out.data;
}

// Tells each line that differs, with the call that it belongs to.
static void compare(const char* path, const char* want, const char* got) {
  const char* call = "";
  int call_length = 0;
  for (int line = 1; *want != '\0' || *got != '\0'; ++line) {
    const size_t w = strcspn(want, "\n"), g = strcspn(got, "\n");
    if (w != 0 && want[0] != ' ') call = want, call_length = (int)w;
    const bool same = w == g && memcmp(want, got, w) == 0;
    if (!check_that(same, path, line, "differs")) {
      fprintf(stderr, "  call %.*s\n  want %.*s\n  got  %.*s\n", call_length, call, (int)w, want,
              (int)g, got);
      return;
    }
    want += w + (want[w] == '\n');
    got += g + (got[g] == '\n');
  }
}

int main(int argc, char** argv) {
  const bool record = argc > 1 && strcmp(argv[1], "--record") == 0;
  status = TF_NewStatus();
  for (int i = record ? 2 : 1; i < argc; ++i) {
    char* want = read_file(argv[i]);
    char* copy = strdup(want);
    char* got = replay(copy);
    if (record) {
      FILE* f = fopen(argv[i], "wb");
      if (f == NULL || fputs(got, f) < 0 || fclose(f) != 0) bad_text("cannot be written", argv[i]);
    } else {
      compare(argv[i], want, got);
    }
    free(want);
    free(copy);
    free(got);
  }
  TF_DeleteStatus(status);
  return record ? 0 : check_result("sequences");
}
