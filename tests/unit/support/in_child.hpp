#pragma once

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include <weft/error.hpp>

namespace weft::test_support {

/// Runs `f` in a forked process. Returns the result of `f`, or its error as text. Returns "hangs"
/// if the process lasts 20 s or crashes.
template <class F>
std::string in_child(F&& f) {
  constexpr unsigned limit_s = 20;
  int ends[2] = {};
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    alarm(limit_s);
    std::string text;
    try {
      text = f();
    } catch (const Error& error) {
      text = std::string(error_name(error.code())) + ": " + error.what();
    }
    const bool all = write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(all ? 0 : 1);
  }
  close(ends[1]);
  std::string answer;
  char part[256];
  for (ssize_t got = 1; (got = read(ends[0], part, sizeof part)) > 0;)
    answer.append(part, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? answer : "hangs";
}

}  // namespace weft::test_support
